import { assert, describe, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as ImageDecoderSharp from "../../../layers/images/ImageDecoderSharp.ts"
import type { ImageFormat } from "../../../schemas/publishing/uploads/limits.ts"
import { Logs } from "../../platform/http/Logs.ts"
import { image, type Raw, scene } from "../../publishing/image-formats/png/decodeSamples.ts"
import { inspect, made, reasonOf } from "./inspecting.ts"

const encode = (raw: Raw, format: ImageFormat) => image(raw).toFormat(format).toBuffer()

describe("images that are decoded with sharp", () => {
  const hanging = { program: new URL("../process-pool/hangingProcess.ts", import.meta.url), nodeOptions: [] }
  layer(ImageDecoderSharp.layer(hanging))((it) => {
    it.effect("A decoding fails at the deadline of 20 seconds", () =>
      Effect.gen(function* () {
        const bytes = yield* made(encode(scene(9, 9, 1), "png"))
        yield* inspect(bytes, "gif")
        const late = yield* Effect.forkChild(reasonOf(bytes, "png"), { startImmediately: true })
        yield* TestClock.adjust("20 seconds")
        assert.strictEqual(yield* Fiber.join(late), "deadline")
      }).pipe(Effect.provide(Logs.layer))
    )

    it.effect("A decoding fails when its process crashes", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(Buffer.alloc(9), "jpeg"), "crashed")
        assert.lengthOf(
          (yield* Logs).filter(({ level }) => level === "Warn"),
          1
        )
      }).pipe(Effect.provide(Logs.layer))
    )
  })

  layer(ImageDecoderSharp.layer({ nodeOptions: ["--no-such-option"] }))((it) => {
    it.effect("The decoder is unavailable when no process can be started", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* reasonOf(Buffer.alloc(9), "png"), "ImageDecoderUnavailable")
      })
    )
  })
})
