"""Says what a traffic pattern costs on the links that were measured, and which placement is better."""
