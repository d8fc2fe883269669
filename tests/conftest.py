"""Properties are judged by what they claim, not by how busy the machine is."""

from hypothesis import settings

settings.register_profile("without_deadline", deadline=None)
settings.load_profile("without_deadline")
