import { readFileSync } from "node:fs"

/** An instruction of a Dockerfile, with its flags (`--from=build`) and the text that follows them. */
export interface Instruction {
  readonly name: string
  readonly flags: Readonly<Record<string, string>>
  readonly text: string
}

/** A stage: its base, with every `ARG` in place, its name if it has one, and its instructions. */
export interface Stage {
  readonly base: string
  readonly name: string | undefined
  readonly instructions: ReadonlyArray<Instruction>
}

const FLAG = /^--([\w-]+)=(\S+)\s+/

const instructionOf = (line: string): Instruction => {
  const [, name = "", rest = ""] = /^(\w+)\s+([\s\S]*)$/.exec(line) ?? []
  const flags: Record<string, string> = {}
  let text = rest
  for (let flag = FLAG.exec(text); flag !== null; flag = FLAG.exec(text)) {
    flags[flag[1] ?? ""] = flag[2] ?? ""
    text = text.slice(flag[0].length)
  }
  return { name: name.toUpperCase(), flags, text: text.trim() }
}

/** Reads the instructions of a Dockerfile without heredocs. */
export const instructionsOf = (source: string): ReadonlyArray<Instruction> =>
  source
    .split("\n")
    .filter((line) => !/^\s*#/.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map(instructionOf)

/** Reads the stages of a Dockerfile, in their order. */
export const stagesOf = (source: string): ReadonlyArray<Stage> => {
  const args: Record<string, string> = {}
  const stages: Array<{ base: string; name: string | undefined; instructions: Array<Instruction> }> = []
  for (const instruction of instructionsOf(source)) {
    const stage = stages.at(-1)
    if (instruction.name === "FROM") {
      const [image = "", , name] = instruction.text.split(/\s+/)
      const base = image.replaceAll(/\$\{(\w+)\}/g, (_, arg: string) => args[arg] ?? "")
      stages.push({ base, name, instructions: [] })
    } else if (stage !== undefined) stage.instructions.push(instruction)
    else if (instruction.name === "ARG") {
      const [name = "", value = ""] = instruction.text.split("=")
      args[name] = value
    }
  }
  return stages
}

/** Reads the pairs of an `ENV` instruction whose values have no spaces. */
export const pairsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(/\s+/).map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)])
  )

/** Reads the words of an instruction in exec form, such as `CMD ["node"]`; undefined in shell form. */
export const execForm = (text: string): ReadonlyArray<string> | undefined =>
  text.startsWith("[") ? JSON.parse(text) : undefined

/** The stages of our image. */
export const ourStages = () => stagesOf(readFileSync("Dockerfile", "utf8"))

/** The names at the top of the checkout that `.dockerignore` lets into the build. */
export const contextOf = (source: string): ReadonlySet<string> =>
  new Set([...source.matchAll(/^!(\S+)$/gm)].map(([, name = ""]) => name))
