import { ALNUM, HEX, prefixed, type TokenFormat, UPPER, UUID, WORD } from './token-format.ts'

/** Addresses that are secrets themselves: their holder can post there or read there. */
export const LINK_FORMATS: readonly TokenFormat[] = [
  prefixed(
    'Slack webhook',
    'hooks.slack.com/',
    `(?:services|workflows|triggers)/[TE]?${UPPER}{6,14}/[AB]?[A-Z0-9]{6,20}/(?:\\d{10,20}/)?${ALNUM}{16,64}`,
  ),
  ...['discord.com', 'discordapp.com'].map((host) =>
    prefixed('Discord webhook', `${host}/api/webhooks/`, `\\d{16,20}/${WORD}{60,90}`, {
      mustLookRandom: true,
    }),
  ),
  prefixed('Discord webhook', 'discord.com/api/v', `\\d{1,2}/webhooks/\\d{16,20}/${WORD}{60,90}`, {
    mustLookRandom: true,
  }),
  prefixed(
    'Teams webhook',
    'webhook.office.com/webhookb2/',
    `${UUID}@${UUID}/IncomingWebhook/${HEX}{32}/${UUID}`,
  ),
  prefixed(
    'Teams webhook',
    'outlook.office.com/webhook/',
    `${UUID}@${UUID}/IncomingWebhook/${HEX}{32}/${UUID}`,
  ),
  prefixed(
    'Google Chat webhook',
    'chat.googleapis.com/v1/spaces/',
    `[\\w-]{8,20}/messages\\?key=${WORD}{39}&token=[\\w%-]{40,60}`,
  ),
  prefixed('Zapier webhook', 'hooks.zapier.com/hooks/catch/', `\\d{5,10}/[a-z0-9]{6,12}`),
  prefixed('Make webhook', 'hook.', `(?:eu\\d|us\\d|integromat)\\.(?:make\\.)?com/[a-z0-9]{30,34}`),
  prefixed('IFTTT webhook', '/with/key/', `${WORD}{20,60}`),
  prefixed('Feishu webhook', 'open-apis/bot/v2/hook/', UUID),
  prefixed('DingTalk webhook', 'oapi.dingtalk.com/robot/send?access_token=', `${HEX}{64}`),
  prefixed('WeCom webhook', 'qyapi.weixin.qq.com/cgi-bin/webhook/send?key=', UUID),
  prefixed('Telegram API', 'api.telegram.org/bot', `\\d{8,10}:[A-Za-z0-9_-]{35}`),
  prefixed('Google Calendar', 'calendar.google.com/calendar/ical/', `[\\w%.@-]{4,120}/private-${HEX}{32}/`),
  prefixed('SoftLayer', 'api.softlayer.com/', `(?:soap|xmlrpc)/v3(?:\\.1)?/[0-9a-zA-Z]{64}`),
  prefixed('Azure shared access signature', 'sig=', `[A-Za-z0-9%+/]{43,60}(?:%3D|=)`),
  prefixed('Infura or Alchemy', 'infura.io/v3/', `${HEX}{32}`),
  prefixed('Alchemy', 'g.alchemy.com/v2/', `${WORD}{32}`),
  prefixed('Ngrok or webhook relay', 'webhookrelay.com/v1/webhooks/', UUID),
]
