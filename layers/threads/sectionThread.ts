import { pageText } from "../../src/publishing/content/html/pageText.ts"
import { type PublicSection, sectionTasks } from "../../src/publishing/content/sectionTasks.ts"
import { highlight } from "./highlighting.ts"
import { serveTasks } from "./serveTasks.ts"

// The program of a thread; see OffloadThreads.
serveTasks({
  ...sectionTasks,
  pageText: {
    ...sectionTasks.pageText,
    run: ({ source, url }: PublicSection) => pageText(source, highlight, url)
  }
})
