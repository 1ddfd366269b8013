/**
 * The setting of VitePress that writes `sitemap.xml`. A sitemap has absolute addresses, which only the deployment knows: it
 * sets `SITE_URL`. Without it, there is no sitemap.
 *
 * @throws if `SITE_URL` is no address of a site.
 */
export function sitemapFor(address: string | undefined): { hostname: string } | undefined {
  if (address === undefined || address === '') return undefined;
  if (!/^https?:$/.test(URL.canParse(address) ? new URL(address).protocol : ''))
    throw new Error(
      `SITE_URL must be the address of the site, such as https://headgate.example.org/; it is "${address}".`,
    );
  return { hostname: address };
}
