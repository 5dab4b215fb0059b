const repeated = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length)

/** Joins pieces, each with the number of its place, up to a length. */
export const growing = (piece: (at: number) => string, length: number) => {
  const pieces: Array<string> = []
  for (let at = 1, size = 0; size < length; at++) {
    const next = piece(at)
    pieces.push(next)
    size += next.length
  }
  return pieces.join("").slice(0, length)
}

type Pattern = (length: number) => string

const repeating = (...pieces: ReadonlyArray<string>): ReadonlyArray<readonly [string, Pattern]> =>
  pieces.map((piece) => [JSON.stringify(piece), (length) => repeated(piece, length)] as const)

const half = (length: number) => Math.floor(length / 2)
const third = (length: number) => Math.floor(length / 3)

/** Patterns that are slow for parsers, each of any length. */
export const patterns: ReadonlyArray<readonly [string, Pattern]> = [
  ...repeating(
    ...(
      "> >\t 1)\n -\n *\n\n [ ] ![ ]( [] ![] [a] [a]( [a](b [a](<b [a](<b> [a](b) ![a](b) [a][ [a][b " +
      "[a][b] [a\n [[a]]( [a](() [a](((( [` [<a [**a ]*a_ [a](b(c(d | |- ||\n |-| |-\n -|-\n |a " +
      "a|b\n-|-\n |` a| :-| |-|\n|a|b|\n :-\n |a|\n|-|\n\n * _ ~ + _a* ~a~ *a\n ~* +*a ` ``a` `a``b " +
      "`\n ```\n ```a\n ~~~\n ~~~\n\n \ta\n ```\n\n```\n\n < > <a </a <b>x</b> <! <!- <!-- <!--> <? " +
      "<![CDATA[ <a\n <div>\n\n <pre>\n\n <http: <http://a <http://a> <a@ <a@b. <br> <br>\n <!--\n\n " +
      "<x>< <x= <x=> <x>= </x> <x></x> <x\n= <x-y> <a: & &a &amp; &# &#x \\\n \0 \t \n \r \r\n \n\n \t\n a\\\n \u00a0 \ud800 语 🐈 a a\n a\r " +
      "a\r\n a\n\n a\r\r a\r\n\r\n #\n # ######\n a\n=\n a\n-\n =\n -\n ===\n ***\n ---\n\n a\nb\n=\n " +
      "- [a]:\n [a]\n\n [^a] ![^a] [^a ![^ [^ https:// https://a https://a.b https://a.b/ https://a.b/[ https://a.b] https://a_b. h H &a;"
    ).split(" "),
    // A dot is a space.
    ...(
      ">· -· *· +· 1.· >·-· >·1.· -·>· 1.·-· -·1.·>· >·a\n >>·a\n -·a\n *·a\n\n 1.·a\n a\n>· >·a\nb\n " +
      ">·a\n\n -·a\n··b\n -·a\nb\n >-·a\nb\n -·a\n\n··b\n\n -···a\n··-·b\n >·-·a\n>·b\n -·-·a\n " +
      ">·>·-·a\nb\n [a](b· [a](b·( [a](b·\" [a](\\ [![a](b)](c)· [·(]( [a]:· [\\ ![a](b·\n [a](b·'c " +
      "|·a·|\n|·-·|\n |\\ >·|a|\n>·|-|\nb\n *a· **a· **a·**b ~a· ~~a·~ ++a· a++· ++a·**b·~~c· " +
      '**x·[a*](b)· `· ····a\n <a· <a·b= <a·b=\' <a·b="c"· <!--· <!--·- <!A· <?·? <![CDATA[·]] \\ ' +
      "\\\\ · ·\n ··\n a· -·a\r >·a\r |·a·|\r|·-·|\r [a]:·b\r #·a\n #·a·# #· -·-\n -·-·-\n *·*·a\n -·- " +
      "_·_· [a]:·b\n [a]:·b·'c\n [a]:·b·(\n [a]:·<\n [a]:·b\n\n [^a]:· [^a]:·b\n [^a]:·b\n\n " +
      "[^a]:\n····b\n [^a]\n\n[^a]:·b\n\n [^a]:·[^a]·\n [^a]:·#·b\nc\n https://a.b· https://a.b/&a;· https://a.b)·] [https://a.b·](c)· -·[·]·a\n -·[·] [·]· -·[x]·a\n\n 1.·[·]·"
    )
      .split(" ")
      .map((piece) => piece.replaceAll("·", " ")),
    " "
  ),
  ["quotations that each nest deeper", (length) => growing((at) => `${"> ".repeat(at)}a\n`, length)],
  ["lists that each nest deeper", (length) => growing((at) => `${"  ".repeat(at)}- a\n`, length)],
  [
    "lists that nest deeper up to 100 and begin again",
    (length) => growing((at) => `${"  ".repeat(at % 100)}- a\n`, length)
  ],
  [
    "quotations that nest deeper up to 200 and begin again",
    (length) => growing((at) => `${">".repeat(at % 200)} a\n`, length)
  ],
  [
    "lists that nest deeper with blank lines",
    (length) => growing((at) => `${"  ".repeat(at % 200)}- a\n\n`, length)
  ],
  [
    "lists in quotations that nest deeper",
    (length) => growing((at) => `> ${"  ".repeat(at % 200)}- a\n`, length)
  ],
  [
    "one line of nested lists and many within",
    (length) => `${"- ".repeat(200)}a\n${repeated(`${" ".repeat(400)}a\n`, length - 402)}`
  ],
  [
    "one line of nested quotations and many lazy ones",
    (length) => `${"> ".repeat(200)}a\n${repeated("a\n", length - 402)}`
  ],
  ["links within links", (length) => `${repeated("[", half(length))}${repeated("](a)", half(length))}`],
  ["brackets within brackets", (length) => `${repeated("[", half(length))}${repeated("]", half(length))}`],
  ["images within images", (length) => `${repeated("![", half(length))}${repeated("](a)", half(length))}`],
  [
    "emphasis within emphasis",
    (length) => `${repeated("*a ", half(length))}${repeated(" a*", half(length))}`
  ],
  [
    "strong emphasis within strong emphasis",
    (length) => `${repeated("**a ", half(length))}${repeated(" a**", half(length))}`
  ],
  [
    "emphasis within strong emphasis",
    (length) => `${repeated("*a **a ", half(length))}${repeated(" a** a*", half(length))}`
  ],
  [
    "underlines within strikethrough",
    (length) => `${repeated("++a ~~a ", half(length))}${repeated(" a~~ a++", half(length))}`
  ],
  [
    "parentheses within a destination",
    (length) => `[a](${repeated("(", half(length))}${repeated(")", half(length))}`
  ],
  ["backticks of growing lengths", (length) => growing((at) => `${"`".repeat(at)} `, length)],
  ["letters and backticks of growing lengths", (length) => growing((at) => `e${"`".repeat(at)}`, length)],
  ["fences of growing lengths", (length) => growing((at) => `${"`".repeat(at + 2)}\n`, length)],
  ["asterisks of growing lengths", (length) => growing((at) => `${"*".repeat(at)}a `, length)],
  [
    "one row of cells",
    (length) =>
      `${repeated("|a", third(length))}\n${repeated("|-", third(length))}\n${repeated("|b", third(length))}`
  ],
  ["one long row below a short one", (length) => `|a|\n|-|\n${repeated("|b", length - 8)}`],
  ["many rows", (length) => `|a|b|\n|-|-|\n${repeated("|c|d|\n", length - 14)}`],
  [
    "many rows of a long header",
    (length) =>
      `${repeated("|a", third(length))}\n${repeated("|-", third(length))}\n${repeated("b\n", third(length))}`
  ],
  ["many rows with code", (length) => `|a|\n|-|\n${repeated("|`\\|`|\n", length - 8)}`],
  ["many different definitions", (length) => growing((at) => `[${at}]: b\n`, length)],
  [
    "many definitions and references to them",
    (length) =>
      `${growing((at) => `[${at}]: b\n`, half(length) - 2)}\n\n${growing((at) => `[${at}] `, half(length))}`
  ],
  [
    "many references before their definitions",
    (length) =>
      `${growing((at) => `[${at}]\n\n`, half(length))}\n\n${growing((at) => `[${at}]: b\n\n`, half(length))}`
  ],
  ["many references to nothing", (length) => growing((at) => `[${at}] `, length)],
  [
    "many footnotes and references to them",
    (length) =>
      `${growing((at) => `[^${at}] `, half(length))}\n\n${growing((at) => `[^${at}]: b\n\n`, half(length))}`
  ],
  ["one footnote and many references to it", (length) => `${repeated("[^a] ", length - 12)}\n\n[^a]: b`],
  [
    "footnotes that each refer to the next",
    (length) => `[^1]\n\n${growing((at) => `[^${at}]: [^${at + 1}]\n`, length - 8)}`
  ],
  ["footnotes within footnotes", (length) => `[^a]\n\n${repeated("[^a]: ", length - 8)}`],
  [
    "footnotes that each nest deeper",
    (length) => growing((at) => `${"    ".repeat(at % 100)}[^${at}]: b\n`, length)
  ],
  ["footnotes of headings and lazy lines", (length) => repeated("[^a]: # b\nc\n", length)],
  ["footnotes of lists", (length) => growing((at) => `[^${at}]: - 1. b\n`, length)],
  [
    "an address in many parentheses",
    (length) => `https://a.b/${repeated("(", half(length))}${repeated(")", half(length))}`
  ],
  [
    "an address before many marks",
    (length) => `https://a.b/${repeated(")", half(length))}${repeated(".", half(length))}`
  ],
  [
    "addresses in brackets",
    (length) => `${repeated("[ *a* https://a.b ", half(length))}${repeated("] ", half(length))}`
  ],
  ["a long label", (length) => `[${repeated("a", length - 10)}](b)`],
  ["a long destination", (length) => `[a](${repeated("a", length - 10)})`],
  ["a long title", (length) => `[a](b "${repeated("a\n", length - 10)}")`],
  ["titles without an end", (length) => growing((at) => `[a](b "${at}`, length)],
  ["comments that one ends", (length) => `a ${repeated("<!--", length - 10)}-->`],
  ["an element without an end", (length) => `<div>${repeated("a\n", length - 10)}`],
  ["a fence without an end", (length) => `\`\`\`\n${repeated("a\n\n", length - 10)}`],
  ["a paragraph and its underline", (length) => `${repeated("a\n", length - 10)}===`],
  ["a heading between definitions", (length) => repeated("[a]: b\n# c\n", length)],
  [
    "a list with everything",
    (length) => repeated("- *a* `b` [c](d) ~~e~~ ++f++ &amp; \\* ![g](h)\n", length)
  ],
  [
    "random marks",
    (length) => {
      let state = 1
      const marks = "*_~+`[]()!<>|\\&-#=: \n\ta"
      return Array.from({ length }, () => {
        state = (state * 48_271) % 2_147_483_647
        return marks[state % marks.length]
      }).join("")
    }
  ]
]
