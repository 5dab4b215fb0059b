import { assert, describe, it } from "@effect/vitest"
import { askedLanguage, guessedLanguage } from "../../../src/web/write/guessedLanguage.ts"

const texts = {
  en: "The bridge leans nine degrees from upright, and the town has learned to live with it. You can see that it was not built to be looked at.",
  de: "Die Brücke neigt sich um neun Grad, und die Stadt hat gelernt, damit zu leben. Es ist nicht der erste Fehler, den wir hier sehen.",
  fr: "Le pont penche de neuf degrés, et la ville vit avec. Ce n'est pas une erreur que les ingénieurs ont faite dans la hâte.",
  es: "El puente se inclina nueve grados y la ciudad vive con ello. No es un error que los ingenieros hicieron por prisa, pero está ahí.",
  pt: "A ponte inclina-se nove graus e a cidade vive com isso. Não é um erro que os engenheiros fizeram por pressa, mas uma escolha do tempo.",
  it: "Il ponte si inclina di nove gradi e la città vive con questo. Non è un errore che gli ingegneri hanno fatto per la fretta, ma una scelta della storia.",
  nl: "De brug helt negen graden en de stad heeft geleerd daarmee te leven. Het is niet een fout die in haast is gemaakt, maar een keuze van de tijd.",
  pl: "Most jest pochylony i miasto nauczyło się z tym żyć. To nie jest błąd, że tak się stało, ale wybór, który jest od dawna znany.",
  sv: "Bron lutar nio grader och staden har lärt sig att leva med det. Det är inte ett fel som ingenjörerna har gjort för att de var snabba.",
  tr: "Köprü dokuz derece eğik ve bu şehir için çok eski bir hikâye. Ama bu bir hata değil, daha çok zaman ile olan bir seçim gibi.",
  id: "Jembatan itu miring sembilan derajat dan kota ini hidup dengan itu. Ini tidak berarti kesalahan yang dibuat oleh insinyur dalam tergesa.",
  vi: "Cây cầu nghiêng chín độ và thành phố đã sống với điều này. Đó không phải là một lỗi của những kỹ sư trong lúc vội, mà là của thời gian.",
  ja: "橋は九度傾いている。町はそれとともに生きることを学んだ。",
  zh: "这座桥倾斜了九度，城市学会了与它共存。",
  ko: "다리는 아홉 도 기울어져 있고 도시는 그것과 함께 사는 법을 배웠다.",
  ar: "الجسر يميل تسع درجات، وقد تعلمت المدينة أن تعيش معه.",
  fa: "پل نه درجه کج است و شهر یاد گرفته است که با آن زندگی کند.",
  he: "הגשר נוטה תשע מעלות, והעיר למדה לחיות איתו.",
  ru: "Мост наклонён на девять градусов, и город привык к этому. Это был не первый мост с такой судьбой, но мы его любим.",
  uk: "Міст нахилений на дев'ять градусів, і місто навчилося з цим жити. Це не перша помилка, яку ми бачимо в її історії.",
  th: "สะพานเอียงเก้าองศาและเมืองก็เรียนรู้ที่จะอยู่กับมัน",
  hi: "पुल नौ डिग्री झुका हुआ है और शहर ने इसके साथ जीना सीख लिया है।"
}

describe("the language of a text", () => {
  for (const [tag, text] of Object.entries(texts))
    it(`A text in ${tag} is known by its script and its frequent words`, () => {
      assert.strictEqual(guessedLanguage(text), tag)
    })

  it("A text that says little is not guessed", () => {
    for (const text of [
      "",
      "On tides",
      "Ti",
      "橋",
      "1 2 3",
      "\0\uD800",
      "Det er ikke til at se, og det er på tide at jeg har en bro af sten med et tag.",
      "```\nthe and of to is that it was for with this\n```",
      "[](https://example.org/the/and/of/to/is/that)",
      "Мама мила раму"
    ])
      assert.isUndefined(guessedLanguage(text), text)
  })

  it("A text of one language with words of another is that of most of it", () => {
    assert.strictEqual(
      guessedLanguage(`${texts.de} He called it “the bridge”.\n\n\`\`\`js\nthe and of\n\`\`\``),
      "de"
    )
    assert.strictEqual(guessedLanguage(`${texts.ja}${texts.ja} Nine degrees`), "ja")
  })

  it("A long text costs no more than its beginning", () => {
    const started = performance.now()
    guessedLanguage("`".repeat(200_000))
    guessedLanguage("[](".repeat(70_000))
    guessedLanguage("~~~\n".repeat(50_000))
    assert.isBelow(performance.now() - started, 2000)
  })

  it("The language of a browser is the first that it names", () => {
    for (const [header, tag] of [
      ["de-AT,de;q=0.9,en;q=0.8", "de"],
      ["fil", "fil"],
      ["*", undefined],
      ["", undefined],
      ["english", undefined],
      [undefined, undefined]
    ] as const)
      assert.strictEqual(askedLanguage(header), tag)
  })
})
