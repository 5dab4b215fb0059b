/**
 * The protocol between a pool and its processes. Standard input carries one job at a time: the lengths of the question
 * and of the bytes, 32 bits each, then the question as JSON, then the bytes. Standard output carries lines: `READY`
 * once, then JSON for each job. An image may take the process over, so the pool parses JSON alone and bounds its
 * length.
 */
export const READY = "ready"

const LENGTHS_BYTES = 8

/** The answer of a process, and its memory in bytes afterwards. */
export interface Said {
  readonly answer: unknown
  readonly rss: number
}

/** Returns the job in pieces, so that the bytes are not copied. */
export const jobOf = (question: unknown, bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const text = Buffer.from(JSON.stringify(question))
  const lengths = Buffer.alloc(LENGTHS_BYTES)
  lengths.writeUInt32BE(text.length, 0)
  lengths.writeUInt32BE(bytes.length, 4)
  return [lengths, text, bytes]
}

/** Makes a reader that takes chunks of a stream and returns a job when it is whole. */
const makeJobReader = <Question>() => {
  let chunks: Array<Buffer> = []
  let held = 0
  let wanted = LENGTHS_BYTES

  return (chunk: Buffer): { readonly question: Question; readonly bytes: Buffer } | undefined => {
    chunks.push(chunk)
    held += chunk.length
    if (held < wanted) return undefined
    const all = Buffer.concat(chunks)
    const questionEnd = LENGTHS_BYTES + all.readUInt32BE(0)
    wanted = questionEnd + all.readUInt32BE(4)
    chunks = [all]
    if (held < wanted) return undefined
    chunks = []
    held = 0
    wanted = LENGTHS_BYTES
    return {
      question: JSON.parse(all.toString("utf8", LENGTHS_BYTES, questionEnd)),
      bytes: all.subarray(questionEnd)
    }
  }
}

/**
 * Runs the program of a process, which answers each job with the JSON of its result. A rejection ends the process. The
 * end of its parent ends it at once, in the middle of a job too.
 */
export const serveJobs = <Question>(answer: (question: Question, bytes: Buffer) => Promise<unknown>) => {
  const read = makeJobReader<Question>()
  const reply = async (question: Question, bytes: Buffer) => {
    const said: Said = { answer: await answer(question, bytes), rss: process.memoryUsage.rss() }
    process.stdout.write(`${JSON.stringify(said)}\n`)
  }
  process.stdin.on("data", (chunk: Buffer) => {
    const job = read(chunk)
    if (job !== undefined) void reply(job.question, job.bytes)
  })
  // `process.exit` would wait for threads that still decode.
  process.stdin.once("close", () => process.kill(process.pid, "SIGKILL"))
  process.stdout.write(`${READY}\n`)
}
