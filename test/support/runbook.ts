import { readFileSync } from "node:fs"

/** The lines of the blocks of the runbook that begin with this. */
export const runbookBlocks = (info: string) =>
  [...readFileSync("layers/RUNBOOK.md", "utf8").matchAll(/^ *```(.+)\n([\s\S]*?)^ *```$/gm)]
    .filter((block) => block[1] === info)
    .map((block) => (block[2] ?? "").trim())
