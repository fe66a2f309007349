import { unwritten } from './unwritten.ts'

export const createOrganization = unwritten('createOrganization')
export const createProject = unwritten('createProject')
export const createEnvironment = unwritten('createEnvironment')
export const createApiKey = unwritten('createApiKey')
export const revokeApiKey = unwritten('revokeApiKey')
export const ping = unwritten('ping')
export const findPrincipal = unwritten('findPrincipal')
export const isEmpty = unwritten('isEmpty')
export const listOrganizations = unwritten('listOrganizations')
export const listProjects = unwritten('listProjects')
export const listApiKeys = unwritten('listApiKeys')
