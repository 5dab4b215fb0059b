import { pageText } from "../../src/publishing/content/html/pageText.ts"
import { type OwnHosts, type PageSection, sectionTasks } from "../../src/publishing/content/sectionTasks.ts"
import { exchangeTasks } from "../../src/publishing/imports/conversion/exchangeTasks.ts"
import { makeHighlight } from "./highlighting.ts"
import { serveTasks } from "./serveTasks.ts"

// The program of a thread; see OffloadThreads.
serveTasks({
  ...sectionTasks,
  ...exchangeTasks,
  pageText: {
    ...sectionTasks.pageText,
    run: ({ source, ...place }: PageSection & OwnHosts) => pageText(source, makeHighlight(), place)
  }
})
