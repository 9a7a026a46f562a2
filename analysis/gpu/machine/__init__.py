"""A GPU as the models see it, and how far its values and the models may be off."""
