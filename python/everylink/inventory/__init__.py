"""What the facts and counters of hosts say: who is an equal of whom, what deviates, what changed during a run."""
