/** Ids of categories with the words that mean them, in the order of the ids. The first word is the name. */
const WORDS: ReadonlyArray<ReadonlyArray<string>> = [
  [
    "artificial intelligence",
    "ai",
    "machine learning",
    "ml",
    "llm",
    "llms",
    "deep learning",
    "generative ai",
    "chatgpt"
  ],
  ["art & illustration", "art", "illustration", "drawing", "painting", "arts", "photography"],
  ["books & literature", "books", "literature", "book reviews", "reading", "book review"],
  ["business", "startups", "startup", "entrepreneurship", "marketing", "management", "leadership"],
  ["climate & environment", "climate", "environment", "sustainability", "climate change", "nature"],
  ["comics", "comic", "manga", "graphic novels", "webcomic"],
  ["crypto & nano", "crypto", "nano", "cryptocurrency", "bitcoin", "blockchain", "ethereum", "web3"],
  ["culture", "society", "pop culture"],
  ["design", "ux", "ui", "graphic design", "web design", "product design"],
  ["economics", "economy"],
  ["education", "teaching", "learning"],
  ["fiction", "short stories", "short story", "novel", "stories"],
  ["film & television", "film", "television", "movies", "tv", "cinema", "movie", "film reviews"],
  ["finance", "investing", "personal finance", "money", "investment"],
  ["food & drink", "food", "drink", "cooking", "recipes", "recipe", "wine", "coffee", "baking"],
  ["games", "gaming", "video games", "board games", "game"],
  ["health", "mental health", "fitness", "medicine", "wellness", "nutrition"],
  ["history"],
  ["humour", "humor", "comedy", "satire"],
  ["law", "legal"],
  ["mathematics", "math", "maths", "statistics"],
  ["music", "songs", "album reviews"],
  ["news & politics", "news", "politics", "world", "current affairs"],
  ["philosophy", "ethics"],
  ["poetry", "poems", "poem"],
  [
    "programming",
    "coding",
    "software",
    "software development",
    "software engineering",
    "web development",
    "javascript",
    "typescript",
    "python",
    "rust",
    "go",
    "golang",
    "java",
    "devops"
  ],
  ["science", "physics", "biology", "chemistry", "astronomy", "space"],
  ["sport", "sports", "football", "soccer", "running", "cycling"],
  ["technology", "tech", "computers", "hardware", "gadgets", "security"],
  ["travel", "travelling", "traveling", "trips"]
]

const idByWord: ReadonlyMap<string, number> = new Map(
  WORDS.flatMap((words, index) => words.map((word) => [word, index + 1] as const))
)

const spelled = (tag: string) =>
  tag
    .toLowerCase()
    .replaceAll("&amp;", "&")
    .replaceAll(/[-_/]+/g, " ")
    .replaceAll(/\band\b/g, "&")
    .replaceAll(/\s+/g, " ")
    .replace(/^#/, "")
    .trim()

/** The categories that tags mean, at most two, and the tags that mean none of these two. */
export interface Categorized {
  readonly ids: readonly [number | null, number | null]
  readonly others: ReadonlyArray<string>
}

/** Finds the categories of tags, in their order. */
export const categoriesOf = (tags: ReadonlyArray<string>): Categorized => {
  const ids: Array<number> = []
  const others: Array<string> = []
  for (const tag of tags.slice(0, 200)) {
    const id = idByWord.get(spelled(tag))
    if (id === undefined || (ids.length === 2 && !ids.includes(id))) others.push(tag)
    else if (!ids.includes(id)) ids.push(id)
  }
  return { ids: [ids[0] ?? null, ids[1] ?? null], others }
}
