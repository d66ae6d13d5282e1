"""Where a run happens: docker, virtualenv or interpreter, behind one interface. Nothing here measures."""
