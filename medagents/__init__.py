"""medagents: a reproducible companion to three papers on clinical committees of agents."""
