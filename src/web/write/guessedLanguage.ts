/** Words that are frequent in a language and rare in the others. The last list is of Danish and Norwegian, which these do not tell apart. */
const FREQUENT: Readonly<Record<string, string>> = {
  en: "the and of to is that it was for with this are be not have you they from which were had his",
  de: "der die das und ist nicht ein eine mit den von zu auf sich dem auch es ich wir werden für im",
  es: "el la los las de que y en un una es por con para no se como más pero está del al",
  fr: "le la les des et est une dans que pour qui pas sur ce il au avec ne sont vous nous du",
  it: "il di che è la per un una non sono con del della gli nel anche come più ma alla si",
  pt: "o a os as de que e do da em um uma não para com é por mais se no na dos",
  nl: "de het een en van is dat niet op te zijn voor met aan die ook maar er wordt ik",
  ca: "el la els les de que i en un una és per amb dels com més però aquest als no",
  ro: "și în de la cu este o un nu pe care din pentru că sunt mai au ce să",
  pl: "i w na z się nie jest to że do jak po co od ale przez są tego oraz",
  cs: "a v se na je že to s z do i o jako pro ale by jsou není které",
  sv: "och att det som en är på av för inte med ett den har jag till om var kan",
  tr: "ve bir bu da de için ile çok ne gibi daha olan olarak değil kadar ama var en her",
  id: "yang dan di itu dengan untuk ini tidak dari dalam akan pada adalah saya ke bisa oleh ada juga",
  vi: "là và của có không một cho được những trong với người này các khi đã để như cũng",
  "": "og det er på at en ikke til som af med jeg den har et de var kan fra vi"
}

const LISTS = Object.entries(FREQUENT).map(([tag, words]) => [tag, new Set(words.split(" "))] as const)

/** Characters of a text that are looked at. */
const SAMPLE_CHARACTERS = 20_000
/** Frequent words by which a language leads before it is believed. */
const LEAD_WORDS = 4
/** Letters of a script of its own, before it is believed. */
const LETTERS_MIN = 8

/** Returns the words of Markdown, without code and addresses. */
const wordsIn = (markdown: string) =>
  markdown
    .slice(0, SAMPLE_CHARACTERS)
    .replaceAll(/^(`{3,}|~{3,}).*?(?:^\1|$(?![^]))/gms, " ")
    .replaceAll(/`[^`\n]*`|\]\([^()\n]*\)|\w+:\/\/\S+/g, " ")
    .toLowerCase()
    .normalize("NFC")

/** Returns the language of Latin letters, by its frequent words. */
const latinOf = (words: string) => {
  const all = words.match(/\p{L}+/gu) ?? []
  const ranked = LISTS.map(
    ([tag, list]) => [tag, all.reduce((sum, word) => (list.has(word) ? sum + 1 : sum), 0)] as const
  ).toSorted(([, one], [, other]) => other - one)
  const [[tag, most] = ["", 0], [, next] = ["", 0]] = ranked
  return most - next >= LEAD_WORDS && most >= next * 1.2 && tag !== "" ? tag : undefined
}

/**
 * Returns the language in which Markdown is written, by its script and its frequent words. Undefined for one that says little:
 * a wrong language is read aloud and hyphenated wrongly.
 */
export const guessedLanguage = (markdown: string): string | undefined => {
  const words = wordsIn(markdown)
  const count = (letters: RegExp) => words.match(letters)?.length ?? 0
  const all = count(/\p{L}/gu)
  /** True for a script that most letters have. */
  const isMost = (letters: number) => letters >= LETTERS_MIN && letters > all / 2
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)
  const chinese = count(/\p{Script=Han}/gu)
  if (isMost(kana + chinese)) return kana > (kana + chinese) / 10 ? "ja" : "zh"
  if (isMost(count(/\p{Script=Hangul}/gu))) return "ko"
  if (isMost(count(/\p{Script=Thai}/gu))) return "th"
  if (isMost(count(/\p{Script=Hebrew}/gu))) return "he"
  const arabic = count(/\p{Script=Arabic}/gu)
  if (isMost(arabic)) {
    if (count(/[ٹڈڑےں]/gu) > arabic / 50) return "ur"
    return count(/[پچژگکی]/gu) > arabic / 50 ? "fa" : "ar"
  }
  if (isMost(count(/\p{Script=Devanagari}/gu)))
    return /(?<!\p{L})(?:है|हैं|में|के|की)(?![\p{L}\p{M}])/u.test(words) ? "hi" : undefined
  const cyrillic = count(/\p{Script=Cyrillic}/gu)
  if (isMost(cyrillic)) {
    const [russian, ukrainian] = [count(/[ыэ]/gu), count(/[іїєґ]/gu)]
    if (/ў/u.test(words) || russian === ukrainian) return undefined
    if (russian > cyrillic / 100 && ukrainian === 0) return "ru"
    return ukrainian > cyrillic / 50 && russian === 0 ? "uk" : undefined
  }
  return isMost(count(/\p{Script=Latin}/gu)) ? latinOf(words) : undefined
}

/** Returns the language that a browser asks for first; undefined if it names none. */
export const askedLanguage = (acceptLanguage: string | undefined): string | undefined =>
  /^\s*([a-z]{2,3})(?![a-z*])/i.exec(acceptLanguage ?? "")?.[1]?.toLowerCase()
