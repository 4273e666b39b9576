"""Made-up clusters whose faults are known."""
