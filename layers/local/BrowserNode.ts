import { spawn } from "node:child_process"
import { Effect, Layer } from "effect"
import { Browser } from "../../src/mcp/local/ports/Browser.ts"

/** Programs that open an address, which is one argument and never a word of a shell. */
const PROGRAMS: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...ReadonlyArray<string>]>>> = {
  darwin: ["open"],
  win32: ["rundll32.exe", "url.dll,FileProtocolHandler"]
}

/** Time after which a program that has not failed counts as one that opens. */
const STARTED_MILLIS = 500

const ended = ({ href }: URL) =>
  Effect.callback<boolean>((resume) => {
    const [program, ...flags] = PROGRAMS[process.platform] ?? ["xdg-open"]
    const child = spawn(program, [...flags, href], { detached: true, stdio: "ignore" })
    child.once("error", () => resume(Effect.succeed(false)))
    child.once("exit", (code) => resume(Effect.succeed(code === 0)))
    child.unref()
  })

const open = (url: URL) =>
  Effect.timeoutOrElse(ended(url), { duration: STARTED_MILLIS, orElse: () => Effect.succeed(true) })

/** Starts the browser that this machine has chosen for addresses. */
export const layer = Layer.succeed(Browser, Browser.of({ open }))
