package sql

import (
	dbsql "database/sql"

	"github.com/jackc/pgx/v5/pgxpool"

	"session/internal/store/postgres"
	"session/internal/store/river"
)

// drivers are the real ones.
func drivers() Drivers {
	return Drivers{
		Postgres: func(address string) (Server, error) { return postgres.Open(address) },
		Queue: func(s Server, file *dbsql.DB) (Queue, error) {
			if s != nil {
				return river.OnPostgres(s.(*postgres.Server).Pool)
			}
			return river.OnSQLite(file)
		},
	}
}

func pgPool(d *DB) *pgxpool.Pool { return d.server.(*postgres.Server).Pool }
