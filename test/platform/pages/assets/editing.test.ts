import { assert, describe, it } from "@effect/vitest"
import {
  type Addition,
  type Body,
  type Effect,
  type Event,
  losesSomething,
  type State,
  stateOf,
  step,
  type Task
} from "../../../../src/platform/pages/assets/editing.js"

/** The form with this text in its free part. */
const formOf = (free: string, more: Readonly<Record<string, string>> = {}) =>
  new URLSearchParams({ author: "mara", title: "", free, paid: "", ...more }).toString()

const freeOf = (text: string) => new URLSearchParams(text).get("free") ?? ""

/** An effect in a few words. */
const words = (effect: Effect): string => {
  switch (effect.type) {
    case "send": {
      const { key, path, revision, text } = effect.save
      const next = effect.next === null ? "" : ` then ${effect.next}`
      return `send ${path} "${freeOf(text)}" ${path === "/write" ? key : revision}${next}`
    }
    case "upload": {
      const { key, path, picture, revision, task, text } = effect.upload
      const what = task.type === "removal" ? `without ${task.picture}` : String(picture?.file)
      return `upload ${path} ${what} ${key} ${revision}${text === null ? "" : " with the form"}`
    }
    case "start timer":
      return `start ${effect.timer} ${effect.millis}`
    case "stop timer":
      return `stop ${effect.timer}`
    case "say": {
      const { fields, isRepeated, outcome, said } = effect
      return ["say", outcome, said, isRepeated ? "again" : "", ...fields].filter((it) => it !== "").join(" ")
    }
    case "keep copy":
      return `keep "${freeOf(effect.copy.text)}"${effect.copy.unanswered === null ? "" : " unanswered"}`
    case "offer copy":
      return effect.isChanged ? "offer copy of an older revision" : "offer copy"
    case "fill form":
      return `fill "${freeOf(effect.text)}"`
    case "set version":
      return `set ${effect.key} ${effect.revision}`
    case "set path":
    case "go to":
      return `${effect.type} ${effect.path}`
    case "submit form":
      return `submit ${effect.button?.name ?? ""}`.trim()
    case "report start":
      return `begin picture ${effect.number} of ${effect.count}`
    case "report end":
      return [`end ${effect.added}`, ...effect.refusals.map(({ outcome }) => outcome)].join(" ")
    case "insert picture":
      return `insert ${effect.markdown ?? effect.url}`
    case "remove picture":
      return `remove ${effect.task.picture}`
    default:
      return effect.type
  }
}

const input: Event = { type: "input" }
const blur: Event = { type: "blur" }
const silence: Event = { type: "silence" }
const shortcut: Event = { type: "shortcut" }
const edit: Event = { type: "edit" }
const autosave: Event = { type: "timeout", timer: "autosave" }
const copy: Event = { type: "timeout", timer: "copy" }
const attempt: Event = { type: "timeout", timer: "attempt" }
const begin: Event = { type: "start", copy: null }
const save: Event = { type: "press", button: { name: "", value: "" } }
const preview: Event = { type: "press", button: { name: "next", value: "preview" } }
const answer = (status: number, body: Body | null = null): Event => ({ type: "answer", status, body })
const path = "/write/1"
/** The answer that a text was saved as this revision. */
const saved = (revision: string): Event =>
  answer(200, { outcome: "saved", path, revision, next: `${path}?saved` })
const refused = answer(422, { outcome: "refused", said: "Line 1." })
const conflict = answer(409, { outcome: "conflict", said: "Changed elsewhere." })
const session = answer(401, { outcome: "session", said: "You are signed out." })
const files = (...names: ReadonlyArray<string>): Addition => ({
  type: "addition",
  place: "free",
  alt: "",
  pictures: names.map((file) => ({ file, key: `key-${file}` }))
})
const give = (task: Task): Event => ({ type: "task", task })
const added = (name: string, revision = "r1"): Event =>
  answer(200, { outcome: "added", path, revision, url: `/${name}`, markdown: `![](${name})`, words: "" })

const AUTOSAVE = "start autosave 10000"
const COPY = "start copy 1000"

const newPost = stateOf({
  path: "/write",
  key: "k",
  revision: "",
  text: formOf(""),
  outcome: "saved",
  isPublished: false
})
const draft = stateOf({
  path,
  key: "k",
  revision: "r1",
  text: formOf("old"),
  outcome: "saved",
  isPublished: false
})
const published = stateOf({
  path,
  key: "k",
  revision: "r1",
  text: formOf("old"),
  outcome: "saved",
  isPublished: true
})

/** An event, the free part of the form then, and the effects. */
type Row = readonly [event: Event, free: string, ...effects: ReadonlyArray<string>]

/** Plays the events of rows. Returns the rows as they went, and the state at the end. */
const played = (before: State, rows: ReadonlyArray<Row>) => {
  let state = before
  const went = rows.map(([event, free]): Row => {
    const next = step(state, event, formOf(free))
    state = next.state
    return [event, free, ...next.effects.map(words)]
  })
  return { state, rows: went }
}

/** The effects of a text that is typed into a form that was saved. */
const typing = ["say unsaved", AUTOSAVE, COPY] as const

const situations: Readonly<Record<string, readonly [state: State, rows: ReadonlyArray<Row>]>> = {
  "A draft saves itself after a while": [
    draft,
    [
      [input, "new", ...typing],
      [input, "newer", COPY],
      [copy, "newer", 'keep "newer"'],
      [autosave, "newer", 'send /write/1 "newer" r1'],
      [saved("r2"), "newer", "set k r2", "say saved", "forget copy"]
    ]
  ],
  "A new post begins with the first words of its text, and takes its path": [
    newPost,
    [
      [input, "", ...typing],
      [autosave, ""],
      [input, "a", AUTOSAVE, COPY],
      [autosave, "a", 'send /write "a" k'],
      [saved("r1"), "a", "set k r1", "forget copy", "set path /write/1", "say saved", "forget copy"]
    ]
  ],
  "A field that is left is saved once": [
    draft,
    [
      [blur, "old"],
      [input, "new", ...typing],
      [blur, "new", "stop autosave", 'send /write/1 "new" r1'],
      [blur, "new"],
      [saved("r2"), "new", "set k r2", "say saved", "forget copy"]
    ]
  ],
  "A text that is typed while another one is sent is saved after it": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [input, "newer", AUTOSAVE, COPY],
      [blur, "newer"],
      [
        saved("r2"),
        "newer",
        "set k r2",
        "say saved",
        'keep "newer"',
        "stop autosave",
        'send /write/1 "newer" r2'
      ]
    ]
  ],
  "A request without an answer is sent again with its key, before the newer text": [
    newPost,
    [
      [input, "a", ...typing],
      [autosave, "a", 'send /write "a" k'],
      [silence, "a", "say offline again", AUTOSAVE],
      [input, "ab", COPY],
      [copy, "ab", 'keep "ab" unanswered'],
      [autosave, "ab", 'send /write "a" k'],
      [
        saved("r1"),
        "ab",
        "set k r1",
        "forget copy",
        "set path /write/1",
        "say saved",
        'keep "ab"',
        'send /write/1 "ab" r1'
      ]
    ]
  ],
  "A connection that is back sends the request again": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [silence, "new", "say offline again", AUTOSAVE],
      [{ type: "connection" }, "new", "stop autosave", 'send /write/1 "new" r1']
    ]
  ],
  "A service that fails, and one that is busy, get the request again": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [answer(503), "new", "say failing again", AUTOSAVE],
      [autosave, "new", 'send /write/1 "new" r1'],
      [answer(429), "new", "say busy again", AUTOSAVE],
      [autosave, "new", 'send /write/1 "new" r1']
    ]
  ],
  "A text above a limit is tried again later": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [answer(429, { outcome: "limited", said: "Later." }), "new", "say limited Later.", AUTOSAVE]
    ]
  ],
  "A press during a save waits for it, and goes on": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [preview, "new"],
      [saved("r2"), "new", "set k r2", "say saved", "forget copy", 'send /write/1 "new" r2 then preview'],
      [
        answer(200, { outcome: "saved", path, revision: "r2", next: "/write/1/preview" }),
        "new",
        "say saved",
        "forget copy",
        "go to /write/1/preview"
      ]
    ]
  ],
  "A press whose text was changed meanwhile saves that one, too": [
    draft,
    [
      [preview, "new", 'send /write/1 "new" r1 then preview'],
      [input, "newer", ...typing],
      [
        saved("r2"),
        "newer",
        "set k r2",
        "say saved",
        'keep "newer"',
        "stop autosave",
        'send /write/1 "newer" r2 then preview'
      ]
    ]
  ],
  "A press without a connection is over, and the text is saved later": [
    draft,
    [
      [input, "new", ...typing],
      [save, "new", "stop autosave", 'send /write/1 "new" r1'],
      [silence, "new", "say offline again", AUTOSAVE],
      [autosave, "new", 'send /write/1 "new" r1'],
      [saved("r2"), "new", "set k r2", "say saved", "forget copy"]
    ]
  ],
  "A press first repeats the request whose answer is unknown": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [silence, "new", "say offline again", AUTOSAVE],
      [input, "newer", COPY],
      [preview, "newer", "stop autosave", 'send /write/1 "new" r1'],
      [saved("r2"), "newer", "set k r2", "say saved", 'keep "newer"', 'send /write/1 "newer" r2 then preview']
    ]
  ],
  "A button that does more than save sends the form": [
    draft,
    [[{ type: "press", button: { name: "attach", value: "1" } }, "new", "submit attach"]]
  ],
  "A conflict waits for a press, which shows both versions": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [conflict, "new", "say conflict Changed elsewhere."],
      [input, "newer", COPY],
      [blur, "newer"],
      [save, "newer", 'send /write/1 "newer" r1'],
      [conflict, "newer", "say conflict Changed elsewhere.", "submit"]
    ]
  ],
  "A refused text waits for a change, and its reason stays": [
    draft,
    [
      [input, "<b>", ...typing],
      [autosave, "<b>", 'send /write/1 "<b>" r1'],
      [refused, "<b>", "say refused Line 1."],
      [{ type: "focus" }, "<b>"],
      [input, "b", AUTOSAVE, COPY],
      [autosave, "b", 'send /write/1 "b" r1']
    ]
  ],
  "A text that was changed before it was refused is saved": [
    draft,
    [
      [blur, "old"],
      [input, "<b>", ...typing],
      [autosave, "<b>", 'send /write/1 "<b>" r1'],
      [input, "b", AUTOSAVE, COPY],
      [refused, "b", "say refused Line 1."],
      [autosave, "b", 'send /write/1 "b" r1']
    ]
  ],
  "A refused press sends the form, so that its page shows the reason": [
    draft,
    [
      [save, "<b>", 'send /write/1 "<b>" r1'],
      [refused, "<b>", "say refused Line 1.", "submit"]
    ]
  ],
  "A page that has no place for the text is not opened": [
    draft,
    [
      [save, "new", 'send /write/1 "new" r1'],
      [answer(403), "new", "say restricted"],
      [save, "new", 'send /write/1 "new" r1'],
      [answer(404), "new", "say gone"],
      [save, "new", 'send /write/1 "new" r1'],
      [answer(413), "new", "say long"],
      [save, "new", 'send /write/1 "new" r1'],
      [answer(200), "new", "say unreadable"]
    ]
  ],
  "A session that ended is tried again, also when the author comes back": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [session, "new", "say session You are signed out.", AUTOSAVE],
      [input, "newer", COPY],
      [{ type: "focus" }, "newer", "stop autosave", 'send /write/1 "newer" r1']
    ]
  ],
  "A published post waits for its author, and names what is not saved": [
    published,
    [
      [input, "new", "say unsaved", COPY],
      [blur, "new"],
      [copy, "new", 'keep "new"', "say unsaved free"],
      [input, "old", COPY],
      [copy, "old", "forget copy", "say none"],
      [save, "new", 'send /write/1 "new" r1'],
      [silence, "new", "say offline"],
      [{ type: "connection" }, "new"],
      [save, "new", 'send /write/1 "new" r1']
    ]
  ],
  "The key that saves saves a draft at once, and only once": [
    draft,
    [
      [shortcut, "old", "say saved"],
      [input, "new", ...typing],
      [shortcut, "new", "stop autosave", 'send /write/1 "new" r1'],
      [shortcut, "new"],
      [saved("r2"), "new", "set k r2", "say saved", "forget copy"]
    ]
  ],
  "The key that saves makes a draft of a new text": [
    newPost,
    [
      [shortcut, "", "say saved"],
      [input, "a", ...typing],
      [shortcut, "a", "stop autosave", 'send /write "a" k']
    ]
  ],
  "The key that saves keeps the text of a published post on the device only": [
    published,
    [
      [input, "new", "say unsaved", COPY],
      [shortcut, "new", "stop copy", 'keep "new"', "say kept"],
      [input, "newer", "say unsaved", COPY],
      [save, "newer", 'send /write/1 "newer" r1']
    ]
  ],
  "The key that saves replaces nothing that was changed elsewhere": [
    draft,
    [
      [input, "new", ...typing],
      [shortcut, "new", "stop autosave", 'send /write/1 "new" r1'],
      [conflict, "new", "say conflict Changed elsewhere."],
      [shortcut, "new"]
    ]
  ],
  "A reload offers the copy of the tab, and puts it back": [
    draft,
    [
      [
        {
          type: "start",
          copy: { path, text: formOf("mine"), key: "k0", revision: "r0", unanswered: null }
        },
        "old",
        "offer copy of an older revision"
      ],
      [input, "other", ...typing],
      [copy, "other", 'keep "other"'],
      [{ type: "restoration" }, "other", "close offer", "take offer", "set k0 r0", 'fill "mine"', COPY],
      [autosave, "mine", 'send /write/1 "mine" r0']
    ]
  ],
  "A copy that is put back first repeats its request without an answer": [
    newPost,
    [
      [
        {
          type: "start",
          copy: {
            path: "/write",
            text: formOf("ab"),
            key: "k0",
            revision: "",
            unanswered: { path: "/write", text: formOf("a"), key: "k0", revision: "" }
          }
        },
        "",
        "offer copy"
      ],
      [{ type: "restoration" }, "", "close offer", "take offer", "set k0 ", 'fill "ab"', ...typing],
      [autosave, "ab", 'send /write "a" k0']
    ]
  ],
  "A copy is forgotten if the author discards it": [
    draft,
    [
      [
        { type: "start", copy: { path, text: formOf("mine"), key: "k", revision: "r1", unanswered: null } },
        "old",
        "offer copy"
      ],
      [{ type: "disposal" }, "old", "close offer", "forget offer"]
    ]
  ],
  "A copy that is saved, or that another account wrote, is not offered": [
    draft,
    [
      [
        { type: "start", copy: { path, text: formOf("old"), key: "k", revision: "r0", unanswered: null } },
        "old",
        "forget offer"
      ],
      [
        {
          type: "start",
          copy: {
            path,
            text: formOf("mine", { author: "noa" }),
            key: "k",
            revision: "r1",
            unanswered: null
          }
        },
        "old",
        "forget offer"
      ]
    ]
  ],
  "A page with a refused text saves it after a while": [
    { ...draft, saved: null },
    [
      [begin, "old", AUTOSAVE],
      [autosave, "old", 'send /write/1 "old" r1']
    ]
  ],
  "A tab that is left keeps what is not saved": [
    draft,
    [
      [{ type: "departure" }, "new", 'keep "new"'],
      [{ type: "departure" }, "old", "forget copy"]
    ]
  ],
  "A picture before the first save waits for it": [
    newPost,
    [
      [input, "a", ...typing],
      [give(files("x")), "a", "begin picture 1 of 1", "stop autosave", 'send /write "a" k'],
      [
        saved("r1"),
        "a",
        "set k r1",
        "forget copy",
        "set path /write/1",
        "say saved",
        "forget copy",
        "upload /write/1 x key-x r1"
      ],
      [added("x"), "a", "forget copy", "insert ![](x)"],
      [input, "a![](x)", ...typing],
      [edit, "a![](x)", "end 1"]
    ]
  ],
  "A picture of a post without a text brings the form": [
    newPost,
    [
      [give(files("x")), "", "begin picture 1 of 1", "upload /write x k  with the form"],
      [added("x"), "", "set k r1", "forget copy", "set path /write/1", "forget copy", "insert ![](x)"],
      [input, "![](x)", ...typing],
      [edit, "![](x)", "end 1"]
    ]
  ],
  "A picture whose text cannot be saved is not sent": [
    newPost,
    [
      [give(files("x")), "<b>", "begin picture 1 of 1", 'send /write "<b>" k'],
      [refused, "<b>", "say refused Line 1.", "end 0 unsaved"]
    ]
  ],
  "A picture without an answer is sent again with its key, three times in all": [
    draft,
    [
      [give(files("x")), "old", "begin picture 1 of 1", "upload /write/1 x key-x r1"],
      [silence, "old", "start attempt 1000"],
      [input, "new", ...typing],
      [blur, "new"],
      [attempt, "new", "upload /write/1 x key-x r1"],
      [silence, "new", "start attempt 2000"],
      [attempt, "new", "upload /write/1 x key-x r1"],
      [silence, "new", "end 0 offline", "stop autosave", 'send /write/1 "new" r1']
    ]
  ],
  "Two pictures follow each other, and a refused one stops no other": [
    draft,
    [
      [give(files("x", "y")), "old", "begin picture 1 of 2", "upload /write/1 x key-x r1"],
      [give(files("z")), "old"],
      [
        answer(422, { outcome: "refused", said: "No picture." }),
        "old",
        "forget copy",
        "begin picture 2 of 2",
        "upload /write/1 y key-y r1"
      ],
      [added("y"), "old", "forget copy", "insert ![](y)"],
      [input, "old![](y)", ...typing],
      [edit, "old![](y)", "end 1 refused", "begin picture 1 of 1", "upload /write/1 z key-z r1"]
    ]
  ],
  "A page in answer to a picture is a refusal, and so is a service that fails": [
    draft,
    [
      [give(files("x", "y")), "old", "begin picture 1 of 2", "upload /write/1 x key-x r1"],
      [answer(413), "old", "begin picture 2 of 2", "upload /write/1 y key-y r1"],
      [
        answer(503, { outcome: "refused", said: "Try again in a minute." }),
        "old",
        "forget copy",
        "end 0 unreadable refused"
      ]
    ]
  ],
  "A press during an upload saves the picture, too": [
    draft,
    [
      [give(files("x")), "old", "begin picture 1 of 1", "upload /write/1 x key-x r1"],
      [preview, "old", "say waiting"],
      [added("x"), "old", "forget copy", "insert ![](x)"],
      [input, "old![](x)", AUTOSAVE, COPY],
      [edit, "old![](x)", "end 1", "stop autosave", 'send /write/1 "old![](x)" r1 then preview']
    ]
  ],
  "A press during an upload that is refused stays on the page, which shows why": [
    draft,
    [
      [give(files("x")), "new", "begin picture 1 of 1", "upload /write/1 x key-x r1"],
      [preview, "new", "say waiting"],
      [
        answer(422, { outcome: "refused", said: "Too large." }),
        "new",
        'keep "new"',
        "end 0 refused",
        "say picture"
      ],
      [preview, "new", 'send /write/1 "new" r1 then preview']
    ]
  ],
  "A picture of the card gives the post a revision": [
    published,
    [
      [give({ ...files("x"), place: "card" }), "old", "begin picture 1 of 1", "upload /write/1 x key-x r1"],
      [
        answer(200, { outcome: "added", path, revision: "r2", url: "/x", words: "Checked." }),
        "old",
        "set k r2",
        "forget copy",
        "insert /x"
      ],
      [edit, "old", "end 1"]
    ]
  ],
  "A picture of the card is saved with the form of a draft": [
    draft,
    [
      [give({ ...files("x"), place: "card" }), "old", "begin picture 1 of 1", "upload /write/1 x key-x r1"],
      [added("x", "r2"), "old", "set k r2", "forget copy", "insert ![](x)"],
      [edit, "old with a card", AUTOSAVE, "end 1"]
    ]
  ],
  "A text that changed without an input is saved, too": [
    draft,
    [
      [input, "new", ...typing],
      [autosave, "new", 'send /write/1 "new" r1'],
      [saved("r2"), "filled", "set k r2", "say saved", 'keep "filled"', AUTOSAVE]
    ]
  ],
  "A picture that is removed leaves the text": [
    draft,
    [
      [
        give({ type: "removal", picture: "p1", key: "key" }),
        "old",
        "begin picture 1 of 1",
        "upload /write/1 without p1 key r1"
      ],
      [
        answer(200, { outcome: "removed", path, revision: "r2", words: "Removed." }),
        "old",
        "set k r2",
        "forget copy",
        "remove p1"
      ],
      [input, "", ...typing],
      [edit, "", "end 1"]
    ]
  ]
}

describe("the machine that saves a post in a browser", () => {
  for (const [title, [state, rows]] of Object.entries(situations))
    it(title, () => {
      assert.deepStrictEqual(played(state, rows).rows, rows)
    })

  it("An author who leaves is asked while something is not saved, or a picture is on its way", () => {
    assert.isFalse(losesSomething(draft, formOf("old")))
    assert.isTrue(losesSomething(draft, formOf("new")))
    const { state: uploading } = played(draft, [[give(files("x")), "old"]])
    assert.isTrue(losesSomething(uploading, formOf("old")))
    const { state: leaving } = played(draft, [
      [save, "new"],
      [saved("r2"), "new"]
    ])
    assert.isFalse(losesSomething(leaving, formOf("new")))
  })

  it("A form that only a press saves starts no timer", () => {
    for (const outcome of ["conflict", "missing", "repeat"]) {
      const page = stateOf({ ...draft, text: formOf("mine"), outcome, isPublished: false })
      const rows: ReadonlyArray<Row> = [
        [begin, "mine"],
        [input, "more", "say unsaved", COPY],
        [blur, "more"],
        [save, "more", 'send /write/1 "more" r1']
      ]
      assert.deepStrictEqual(played(page, rows).rows, rows)
    }
  })
})
