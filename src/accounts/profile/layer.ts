import { Profiles } from "./Profiles.ts"

export const layer = Profiles.layer
