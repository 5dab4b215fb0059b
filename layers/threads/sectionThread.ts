import { sectionTasks } from "../../src/publishing/content/sectionTasks.ts"
import { serveTasks } from "./serveTasks.ts"

// The program of a thread; see OffloadThreads.
serveTasks(sectionTasks)
