import { imageTasks } from "../../src/publishing/image-formats/imageTasks.ts"
import { serveTasks } from "./serveTasks.ts"

// The program of a thread; see OffloadThreads.
serveTasks(imageTasks)
