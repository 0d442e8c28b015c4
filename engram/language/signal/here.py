"""Whether a statement says of itself that it holds for the project that is worked on, in four languages. Light."""

from engram.language.matching.prefilter import compiled

_THING = r"(?:repo(?:s|sitory)?|project|code ?base|workspace|package|monorepo)"
_HERE = (
    rf"(?i)\b(?:this|the\s+(?:current|whole))\s+{_THING}\b|\bhere(?=\s*(?:[,.;:!)]|$))|"
    r"(?<!\w)эт(?:ом|ого|от|ому|им)\s+(?:проект|репо(?!рт)|модул)\w*|(?<!\w)эт(?:ой|у|а)\s+кодовой?\s+баз\w*|"
    r"(?<!\w)(?:здесь|тут)(?!\w)|"
    r"(?:这个|這個|本|该|該|此)(?:项目|項目|专案|專案|仓库|倉庫|代码库|代碼庫|工程)|(?:这里|這裡|这儿)|"
    r"(?<!\w)(?:이|본|해당)\s*(?:프로젝트|저장소|리포지토리|레포|리포|코드베이스)|(?<!\w)여기(?:서|에서|선|는)?(?!\w)"
)


def is_said_of_here(text: str) -> bool:
    """Tell whether a statement speaks of "this repository", "здесь", "这个项目", "이 프로젝트" and the like."""
    return compiled(_HERE).search(text) is not None
