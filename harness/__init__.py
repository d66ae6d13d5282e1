"""The host side: plans campaigns, runs them in isolated environments, measures and analyses."""
