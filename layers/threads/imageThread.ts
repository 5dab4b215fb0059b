import { hash } from "node:crypto"
import { imageTasks, readImage, type SentImage } from "../../src/publishing/image-formats/imageTasks.ts"
import { serveTasks } from "./serveTasks.ts"

// OpenSSL takes a third of the time of JavaScript.
const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "hex")

// The program of a thread; see OffloadThreads.
serveTasks({ read: { ...imageTasks.read, run: (image: SentImage) => readImage(image, sha256) } })
