import { signatureTasks } from "../../src/platform/nano/signatureTasks.ts"
import { serveTasks } from "./serveTasks.ts"

// The program of a thread; see OffloadThreads.
serveTasks(signatureTasks)
