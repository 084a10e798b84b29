"""Function instances to terms: unrolling, inlining, reach conditions and the events that checks are about."""
