"""From what is asked to a plan: factors, treatments, blocks; touches no machine."""
