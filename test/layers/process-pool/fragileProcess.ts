import { serveJobs } from "../../../layers/process-pool/processJobs.ts"

/** A job of this process in tests. */
export type Fragile =
  | { readonly do: "say"; readonly say: unknown }
  | { readonly do: "measure" }
  | { readonly do: "hang" | "spin" | "exit" | "kill" | "throw" | "babble" | "mumble" }

const reply = async (question: Fragile, bytes: Buffer): Promise<unknown> => {
  switch (question.do) {
    case "say":
      return question.say
    case "measure":
      return {
        pid: process.pid,
        cwd: process.cwd(),
        env: Object.keys(process.env),
        sum: bytes.reduce((sum, it) => sum + it, 0)
      }
    case "hang":
      return new Promise(() => {})
    case "spin":
      while (true);
    case "exit":
      process.exit(3)
    case "kill":
      return process.kill(process.pid, "SIGKILL")
    case "throw":
      throw new Error("this process was told to fail")
    case "babble":
      process.stdout.write("x".repeat(100_000))
      return new Promise(() => {})
    case "mumble":
      process.stdout.write("{not an answer\n")
      return new Promise(() => {})
  }
}

serveJobs<Fragile>(reply)
