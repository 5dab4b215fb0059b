import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { PROGRAM } from "../svcMcp.ts"

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
}

/**
 * Starts the tools of a state directory in a process, by a launcher if there is one. A process that is killed answers nothing
 * more.
 */
export const toolProcess = (origin: string, directory: string, launcher: ReadonlyArray<string> = []) => {
  const [command = "", ...words] = [...launcher, process.execPath]
  const child = spawn(
    command,
    [
      ...words,
      PROGRAM,
      "--origin",
      origin,
      "--state-dir",
      directory,
      "serve",
      "--files",
      join(directory, "files")
    ],
    { stdio: ["pipe", "pipe", "pipe"] }
  )
  const waiting = new Map<number, (message: any) => void>()
  let id = 0
  let log = ""
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()))
  child.stdin.on("error", () => {})
  createInterface({ input: child.stdout }).on("line", (line) => {
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  const closed = once(child, "close").then(() => {
    for (const resolve of waiting.values()) resolve(undefined)
    waiting.clear()
  })
  const asked = (message: object & { readonly id: number }) =>
    new Promise<any>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined)
      waiting.set(message.id, resolve)
      child.stdin.write(`${JSON.stringify(message)}\n`)
    })
  const ready = asked(INITIALIZE).then((answer) => {
    if (answer === undefined) throw new Error(`the tools did not start: ${log}`)
    child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  })
  // Told by the first call; a process that is killed before has none.
  ready.catch(() => {})

  return {
    ready,
    log: () => log,
    /** Returns the result of a tool; undefined when the process was killed before. */
    call: async (name: string, args: object): Promise<any> => {
      await ready
      const message = { jsonrpc: "2.0", id: ++id, method: "tools/call", params: { name, arguments: args } }
      return (await asked(message))?.result
    },
    /** Ends its input, after which it ends by itself. */
    end: async () => {
      child.stdin.end()
      await closed
    },
    kill: async () => {
      child.kill("SIGKILL")
      await closed
    }
  }
}

export type ToolProcess = ReturnType<typeof toolProcess>
