import { assert, describe, it } from "@effect/vitest"
import { searchLetters, searchQueryOf } from "../../../src/publishing/discovery/searchQuery.ts"

describe("searchQueryOf", () => {
  it("Words are joined by and, and the last one finds longer words", () => {
    assert.strictEqual(searchQueryOf("red apple"), "(('red') & ('apple':*))")
    assert.strictEqual(searchQueryOf("apple red"), "(('apple') & ('red'))")
    assert.strictEqual(searchQueryOf("apple -red"), "(('apple') & !('red'))")
    assert.strictEqual(searchQueryOf("-pear apples"), "(('pear') & ('apples':*))")
    assert.strictEqual(searchQueryOf("apples --pear"), "(('apples') & ('pear':*))")
    assert.strictEqual(searchQueryOf("-apple"), "(('apple':*))")
    assert.strictEqual(searchQueryOf("a".repeat(70)), `(('${"a".repeat(64)}':*))`)
  })

  it("Phrases and joined words keep their order", () => {
    assert.strictEqual(searchQueryOf('"red apple"'), "(('red' <-> 'apple'))")
    assert.strictEqual(searchQueryOf("“red apple” x"), "(('red' <-> 'apple') & ('x'))")
    assert.strictEqual(searchQueryOf("snake_case"), "(('snake' <-> 'case':*))")
    assert.strictEqual(searchQueryOf('x -"well-known'), "(('x') & !('well' <-> 'known'))")
    assert.strictEqual(searchQueryOf("it's"), "(('it' <-> 's'))")
  })

  it("Alternatives without a word that has to occur are left out", () => {
    assert.strictEqual(searchQueryOf("apple or pear"), "(('apple')) | (('pear':*))")
    assert.strictEqual(searchQueryOf("apple OR -pear"), "(('apple')) | (('pear':*))")
    assert.strictEqual(searchQueryOf('apple "or" pear'), "(('apple') & ('or') & ('pear':*))")
    for (const q of ["or", "or or", '"', '""', "- -", ":* & <-> | !()", "😀", "\u0301", "…"])
      assert.isUndefined(searchQueryOf(q), q)
  })

  it("Scripts without spaces become pairs of letters, and a single letter begins a word", () => {
    assert.strictEqual(searchQueryOf("喫茶店"), "(('喫茶' & '茶店'))")
    assert.strictEqual(searchQueryOf("猫"), "(('猫':*))")
    assert.strictEqual(searchQueryOf("北京 cafe"), "(('北京') & ('cafe':*))")
    assert.strictEqual(searchQueryOf("AI技術x"), "(('ai' & '技術' & 'x'))")
    assert.strictEqual(searchQueryOf("ﾊﾝｶｸ"), searchQueryOf("ハンカク"))
    assert.strictEqual(searchQueryOf("서울"), "(('서울'))")
    assert.strictEqual(searchQueryOf("ก่า"), "(('กา'))")
  })

  it("Characters of PostgreSQL's query language are never passed on", () => {
    for (const q of ["a:* & b", "a <-> b | !c", "it''s\\", "((x", "a':*|'b", "x:ABCD", "$1 %s \\x27"])
      assert.match(searchQueryOf(q) ?? "", /^[(]+!?[(']+[\w' &|()!<:*->]+$/u, q)
    assert.strictEqual(searchQueryOf("a:* & b"), "(('a') & ('b'))")
  })
})

describe("searchLetters", () => {
  it("Case, accents, marks and width make no difference", () => {
    for (const [text, letters] of [
      ["Renée CAFÉ", "renee cafe"],
      ["Łódź, Straße, smørrebrød, Þór", "lodz, strasse, smorrebrod, thor"],
      ["ｆｕｌｌ　ｗｉｄｔｈ", "full width"],
      ["e\u0301", "e"],
      ["Việt Nam", "viet nam"],
      ["ΟΔΥΣΣΕΎΣ", "οδυσσευσ"],
      ["ёлка", "елка"],
      ["مُحَمَّد", "محمد"],
      ["שָׁלוֹם", "שלום"],
      ["がパ한글", "がパ한글"]
    ])
      assert.strictEqual(searchLetters(text!), letters, text)
  })
})
