import { Context } from "effect"

/** Files that pages load, as text. */
export class Assets extends Context.Service<
  Assets,
  { readonly stylesheet: string; readonly script: string; readonly icon: string }
>()("pennypress/platform/ports/Assets") {}
