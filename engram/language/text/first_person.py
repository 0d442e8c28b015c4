"""Who speaks of themselves: the singular first person in English, Russian, Korean and Chinese. Light: hooks use it."""

import re

FIRST_SINGULAR = (
    r"(?<!\w)(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Яя]|[Мм](?:не|еня|ной)|[Мм]о(?:й|я|ё|е|и|ю|его|ей|ему|им|их|ём|ими)|"
    r"나는|나도|나의|내가|저는|저도|저의|제가)(?!\w)|我(?!们|們)"
)
SPEAKS_OF_SELF = re.compile(FIRST_SINGULAR)
