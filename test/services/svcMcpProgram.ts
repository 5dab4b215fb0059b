import { execFile, spawn } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { Effect } from "effect"
import { temporaryDirectory } from "../support/directories.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

interface Ended {
  readonly code: number
  readonly output: string
  readonly log: string
}

/** Runs a program until it ends, and tells how. */
export const executed = (program: string, args: ReadonlyArray<string>, environment: object = {}) =>
  Effect.callback<Ended>((resume) => {
    const child = execFile(
      program,
      args,
      { cwd: root, env: { ...process.env, ...environment } },
      (error, output, log) => {
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), output, log }))
      }
    )
    return Effect.sync(() => child.kill())
  })

/** Builds the package of the local edition in a directory of its own. Returns the program as it is published: one file. */
export const built = Effect.fnUntraced(function* (baseUrl: string) {
  const out = yield* temporaryDirectory
  const environment = { PUBLIC_BASE_URL: baseUrl, SVC_MCP_OUT: join(out, "svc-mcp") }
  const { code, log, output } = yield* executed("npm", ["run", "build:svc-mcp"], environment)
  if (code !== 0) return yield* Effect.die(new Error(`${output}${log}`))
  return join(out, "svc-mcp", "svc-mcp.js")
})

/** The program over a state directory, as a person and a client of an agent start it. */
export const programOf = (program: string, origin: string, directory: string) => {
  const place = ["--origin", origin, "--state-dir", directory]

  return {
    /** Runs a command without a terminal. */
    run: (...args: ReadonlyArray<string>) => executed(process.execPath, [program, ...place, ...args]),

    /** Runs a command in a terminal, where a person types back the text that is asked for. */
    confirmed: (...args: ReadonlyArray<string>) =>
      Effect.callback<Ended>((resume) => {
        const command = [process.execPath, program, ...place, ...args].map((word) => `'${word}'`).join(" ")
        const child = spawn("script", ["-qec", command, "/dev/null"], { stdio: ["pipe", "pipe", "pipe"] })
        let output = ""
        let isTyped = false
        child.stdout.on("data", (chunk: Buffer) => {
          output += chunk.toString()
          const [, text] = /Type (\S[^\n]*?) to allow this/.exec(output) ?? []
          if (text === undefined || isTyped) return
          isTyped = true
          child.stdin.write(`${text}\r`)
        })
        child.on("close", (code) => resume(Effect.succeed({ code: code ?? 1, output, log: "" })))
        return Effect.sync(() => child.kill())
      }),

    /** Starts the tools for an official client, which ends with the scope. */
    connected: Effect.acquireRelease(
      Effect.promise(async () => {
        const client = new Client({ name: "tests", version: "1.0.0" })
        const args = [program, ...place, "serve"]
        await client.connect(
          new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }) as never
        )
        return {
          client,
          tools: async () => (await client.listTools()).tools,
          call: async (name: string, tool: object = {}): Promise<any> => {
            const result: any = await client.callTool({ name, arguments: { ...tool } })
            if (result.isError === true) throw new Error(`${name}: ${result.content[0].text}`)
            return result.structuredContent
          }
        }
      }),
      ({ client }) => Effect.promise(() => client.close())
    )
  }
}
