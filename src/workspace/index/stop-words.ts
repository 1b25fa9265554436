/** English words that say nothing about what a text is about, apostrophes and what follows them left out. */
const WORDS = `a about above after again against all also am an and any are aren as at be because been before being below
between both but by can cannot could couldn did didn do does doesn doing don down during each few for from further get
got had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself
just let me more most my myself no nor not of off on once only or other our ours ourselves out over own same she should
shouldn so some such than that the their theirs them themselves then there these they this those through to too under
until up us very was wasn we were weren what when where which while who whom why will with would wouldn you your yours
yourself yourselves`;

export const STOP_WORDS: ReadonlySet<string> = new Set(WORDS.split(/\s+/));
