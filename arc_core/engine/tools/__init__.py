"""The tools a run may offer, and the approvals that calls of them need."""
