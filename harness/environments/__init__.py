"""Where a run happens: docker, apptainer, virtualenv or interpreter, behind one interface. Nothing here measures."""
