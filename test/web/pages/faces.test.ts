import { assert, describe, it } from "@effect/vitest"
import { face } from "../../../src/web/pages/parts/people.ts"

const URL = "https://press.test/media/0197a1b2-57c3-7000-8000-5d1c9e0f2b71"

describe("the face of a person", () => {
  it("A face next to a name is a small copy that waits for its reader, and a large one the picture itself", () => {
    const small = face({ name: "Ada", avatarUrl: `${URL}.png` }, "small").toString()
    assert.include(small, `src="${URL}-96.webp"`)
    assert.include(small, 'loading="lazy"')
    assert.include(face({ name: "Ada", avatarUrl: `${URL}.jpg` }).toString(), `src="${URL}-96.webp"`)
    assert.include(face({ name: "Ada", avatarUrl: `${URL}.png` }, "large").toString(), `src="${URL}.png"`)
  })
})
