"""What the modules in ansible/library share: how each kind of host state is looked at, and put back.

They run on the measuring host with its own Python (3.8 or newer) and nothing but the standard library. A kind is a
file with `keys(pattern)`, `look(key)` and `put_back(key, before)`; a state is JSON, and None stands for "not there".
"""
