import { PayoutAddresses } from "./PayoutAddresses.ts"

export const layer = PayoutAddresses.layer
