"""The sampling process: what it reads from the meters goes to disk, and from there into series."""
