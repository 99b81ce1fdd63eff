package redis

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"session/internal/coordination"
)

// allowScript is the generic cell rate algorithm (GCRA; ATM Forum, Traffic Management 4.1, §4.4.2) with Redis' own clock, so
// that no two services need to agree about the time. Under the key stands, in microseconds since 1970, when everything that
// was allowed is paid for; it goes when that has come. ARGV: what one time costs, in microseconds, and the burst.
var allowScript = goredis.NewScript(`local t = redis.call("TIME")
local now = tonumber(t[1]) * 1000000 + tonumber(t[2])
local cost = tonumber(ARGV[1])
local full = cost * tonumber(ARGV[2])
local paid = tonumber(redis.call("GET", KEYS[1]) or now)
if not paid or paid ~= paid or paid < now or paid > now + full then paid = now end
local after = paid + cost
if after - now > full then return math.ceil(after - now - full) end
redis.call("SET", KEYS[1], string.format("%.17g", after), "PX", math.ceil((after - now) / 1000))
return 0`)

func rateKey(who string) string {
	sum := sha256.Sum256([]byte(who))
	return "session:rate:" + hex.EncodeToString(sum[:16])
}

// Allow implements coordination.Limiter.
func (c *Client) Allow(ctx context.Context, who string, r coordination.Rate) (ok bool, wait time.Duration, err error) {
	if err := r.Check(); err != nil {
		return false, 0, fmt.Errorf("bound a rate: %w", err)
	}
	us, err := allowScript.Run(ctx, c.redis, []string{rateKey(who)}, 1e6/r.PerSecond, r.Burst).Int64()
	if err != nil {
		return false, 0, c.explain(ctx, "bound a rate", err)
	}
	return us == 0, time.Duration(us) * time.Microsecond, nil
}
