import { serveTasks } from "../../../layers/threads/serveTasks.ts"
import { fragileTasks } from "./fragileTasks.ts"

// The program of a thread in tests.
serveTasks(fragileTasks)
