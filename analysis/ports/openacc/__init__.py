"""OpenACC directives."""
