"""Properties are judged by what they claim, not by how busy the machine is.

`--hypothesis-profile thorough` tries each of them a thousand times instead of a hundred.
"""

from hypothesis import settings

settings.register_profile("without_deadline", deadline=None)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("without_deadline")
