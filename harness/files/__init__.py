"""Files as they ought to be read and written: bounded, whole, never through a link."""
