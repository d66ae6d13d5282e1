"""Faults planted into the implementations, one at a time: proof and measured campaign together must find them."""
