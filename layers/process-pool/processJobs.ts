/**
 * What is said between a pool and its processes. A process is sent one job at a time on its standard input: the lengths of
 * a question and of the bytes it is about, as 32 bits each, then the question as JSON, then the bytes. It says lines on its
 * standard output: `READY` once, then one of JSON for each job. JSON, since a process that was taken over by what it reads
 * may say anything, and must neither confuse the parser nor fill the memory of who listens.
 */
export const READY = "ready"

const LENGTHS_BYTES = 8

/** A process's answer, and the bytes of memory it holds after it. */
export interface Said {
  readonly answer: unknown
  readonly rss: number
}

/** The job as it is sent, in pieces, so that the bytes are not copied. */
export const jobOf = (question: unknown, bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const text = Buffer.from(JSON.stringify(question))
  const lengths = Buffer.alloc(LENGTHS_BYTES)
  lengths.writeUInt32BE(text.length, 0)
  lengths.writeUInt32BE(bytes.length, 4)
  return [lengths, text, bytes]
}

/** Takes a stream's chunks, and answers a job when it is whole. */
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
 * The program of a process of a pool: answers each job with what it resolves to, as JSON. A rejection ends the process, and
 * so does the end of who started it, at once and in the middle of a job too.
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
  // `process.exit` would wait for threads that are still decoding.
  process.stdin.once("close", () => process.kill(process.pid, "SIGKILL"))
  process.stdout.write(`${READY}\n`)
}
