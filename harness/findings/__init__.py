"""Every finding there is: its code, what it means, how grave it is, which verdicts it withholds, what to do."""
