import { Context, type Effect, type Option } from "effect"

/** Encrypts what must be read back but not be readable in the database (AES-256-GCM under the server's key). */
export class Sealer extends Context.Service<
  Sealer,
  {
    readonly seal: (text: string) => Effect.Effect<Uint8Array>
    /** None when the bytes were not sealed under a key that this server has, or were changed. */
    readonly open: (sealed: Uint8Array) => Effect.Effect<Option.Option<string>>
  }
>()("pennypress/platform/ports/Sealer") {}
