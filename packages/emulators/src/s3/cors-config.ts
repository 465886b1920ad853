import { s3Error } from './errors.ts'
import type { CorsRule } from './types.ts'
import { childrenOf, childText, parseXml, type Xml } from './xml.ts'

const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD']

/** Returns a bucket's initial CORS rules: enough for an upload page that reads `ETag`. */
export function defaultCors(origins: string[]): CorsRule[] {
  return [
    {
      allowedOrigins: origins,
      allowedMethods: ['GET', 'PUT', 'HEAD'],
      allowedHeaders: ['*'],
      exposeHeaders: ['ETag'],
    },
  ]
}

/**
 * Parses a CORSConfiguration.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
 * @throws S3Error MalformedXML, InvalidRequest
 */
export function corsFromXml(text: string): CorsRule[] {
  const root = parseXml(text)
  const elements = childrenOf(root, 'CORSRule')
  if (root.name !== 'CORSConfiguration' || elements.length === 0 || elements.length > 100)
    throw s3Error('MalformedXML')
  return elements.map((element) => {
    const all = (name: string): string[] => childrenOf(element, name).map((child) => child.text.trim())
    const rule: CorsRule = {
      id: childText(element, 'ID'),
      allowedOrigins: all('AllowedOrigin'),
      allowedMethods: all('AllowedMethod'),
      allowedHeaders: all('AllowedHeader'),
      exposeHeaders: all('ExposeHeader'),
    }
    const maxAge = childText(element, 'MaxAgeSeconds')
    if (maxAge !== undefined) rule.maxAgeSeconds = Number(maxAge)
    if (rule.allowedOrigins.length === 0 || rule.allowedMethods.length === 0) throw s3Error('MalformedXML')
    const unknownMethod = rule.allowedMethods.find((method) => !METHODS.includes(method))
    if (unknownMethod !== undefined) {
      throw s3Error(
        'InvalidRequest',
        `Found unsupported HTTP method in CORS config. Unsupported method is ${unknownMethod}`,
      )
    }
    for (const pattern of [...rule.allowedOrigins, ...rule.allowedHeaders]) {
      if (pattern.split('*').length > 2) {
        throw s3Error('InvalidRequest', `"${pattern}" can not have more than one wildcard.`)
      }
    }
    return rule
  })
}

export function corsToXml(rules: CorsRule[]): { [name: string]: Xml } {
  return {
    CORSRule: rules.map((rule) => ({
      ID: rule.id,
      AllowedMethod: rule.allowedMethods,
      AllowedOrigin: rule.allowedOrigins,
      AllowedHeader: rule.allowedHeaders,
      ExposeHeader: rule.exposeHeaders,
      MaxAgeSeconds: rule.maxAgeSeconds,
    })),
  }
}
