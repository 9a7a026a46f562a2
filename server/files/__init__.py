"""Reading and writing files without following links or losing what was there."""
